/* Operations of a made trace as text, for tests: joined, with a kernel, between the brackets of
 * "traceEvents". */
#ifndef HABITAT_TESTS_MADE_EVENTS_H
#define HABITAT_TESTS_MADE_EVENTS_H

#define OP(name, thread, at, length, args)                                                         \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #thread            \
    ",\"ts\":" #at ",\"dur\":" #length ",\"args\":{" args "}},"
#define INPUTS(dims, types) "\"Input Dims\":" dims ",\"Input type\":" types ","
#define FORWARD(number)     "\"Sequence number\":" #number ",\"Fwd thread id\":0"
#define BACKWARD(number)    "\"Sequence number\":" #number ",\"Fwd thread id\":1"
#define NODE                "autograd::engine::evaluate_function: "

/* One kernel, launched at 12 us by thread 1. */
#define KERNEL                                                                                     \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"    \
    "\"ts\":12,\"dur\":1,\"args\":{\"correlation\":7}},"                                           \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sgemm\",\"pid\":0,\"tid\":7,\"ts\":20,\"dur\":5," \
    "\"args\":{\"device\":0,\"stream\":7,\"correlation\":7,\"grid\":[1,1,1],\"block\":[32,1,1]}}"

#endif
