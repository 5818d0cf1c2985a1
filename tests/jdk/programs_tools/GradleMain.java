package org.gradle.launcher;

/** A JVM by the name of Gradle's launcher: it runs the command that it is given, in other JVMs, as build tools do. */
public class GradleMain {
    public static void main(String[] command) throws Exception {
        if (command.length > 0)
            System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
    }
}
