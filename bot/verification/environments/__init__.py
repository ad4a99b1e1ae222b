"""What a program needs around it to be tested: detected or said by the policy, built in the sandbox, kept, shared."""
