import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.VirtualMachine;

/** Attach PID LIBRARY OPTIONS...: loads an agent, once for each argument behind its path; "pause=N" waits for N ms instead. */
public class Attach {
    public static void main(String[] args) throws Exception {
        VirtualMachine vm = VirtualMachine.attach(args[0]);
        for (int i = 2; i < args.length; i++) {
            if (args[i].startsWith("pause=")) {
                Thread.sleep(Long.parseLong(args[i].substring(6)));
                continue;
            }
            try {
                vm.loadAgentPath(args[1], args[i]);
                System.out.println("return code: 0");
            } catch (AgentInitializationException e) {
                System.out.println("return code: " + e.returnValue());
            }
        }
        vm.detach();
    }
}
