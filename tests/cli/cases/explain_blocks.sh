# Modules that repeat are one row: three alike blocks (10, 20 and 30 us), a fourth that calls its layer twice (5 and 5), and a
# sequence whose layers 0 and 2 are products (8 and 16) and whose layer 1 is not (4). bandwidth: 4800 / 320 = 15 times the time.
awk 'function span(cat, name, ts, dur, more) {
    printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"ts\":%d,\"dur\":%d,%s}", comma, cat, name, ts, dur, more; comma = ",\n" }
function layer(module, op, us) {
    t += 100; n++
    span("user_annotation", "nn.Module: Net." module, t, 50, "\"pid\":1,\"tid\":1,\"args\":{}")
    span("cpu_op", op, t + 10, 20, "\"pid\":1,\"tid\":1,\"args\":{\"Input Dims\":[[8,8],[8,8],[8,8]],\"Input type\":[\"float\",\"float\",\"float\"]}")
    span("cuda_runtime", "cudaLaunchKernel", t + 15, 2, "\"pid\":1,\"tid\":1,\"args\":{\"correlation\":" n "}")
    span("kernel", "k", t + 40, us, "\"pid\":0,\"tid\":7,\"args\":{\"device\":0,\"stream\":7,\"correlation\":" n "}") }
BEGIN {
    print "{\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H200\"}],\"traceEvents\":["
    layer("blocks.0.up", "aten::relu", 10); layer("blocks.1.up", "aten::relu", 20); layer("blocks.2.up", "aten::relu", 30)
    layer("blocks.3.up", "aten::relu", 5); layer("blocks.3.up", "aten::relu", 5)
    layer("head.0", "aten::addmm", 8); layer("head.1", "aten::relu", 4); layer("head.2", "aten::addmm", 16)
    print "]}" }' >blocks.json
"$habitat" explain blocks.json --to T4 --method bandwidth --by module | sed -n "/^module /,/^\$/p"
"$habitat" predict blocks.json --to T4 --method bandwidth --by module | sed -n "/^module /,/^total/p"
"$habitat" explain blocks.json --to T4 --method bandwidth --by module --csv 2>/dev/null | cut -d, -f1-6
