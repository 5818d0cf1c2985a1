import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.VirtualMachine;

/** Attach PID LIBRARY OPTIONS: loads an agent by the attach API. */
public class Attach {
    public static void main(String[] args) throws Exception {
        VirtualMachine vm = VirtualMachine.attach(args[0]);
        try {
            vm.loadAgentPath(args[1], args[2]);
            System.out.println("return code: 0");
        } catch (AgentInitializationException e) {
            System.out.println("return code: " + e.returnValue());
        }
        vm.detach();
    }
}
