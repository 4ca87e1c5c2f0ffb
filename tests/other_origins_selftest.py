"""tools/other_origins.py: operators lists as recordings, worked by hand."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import other_origins as origins  # noqa: E402

LIST = """idx,op,target,name,input_shapes,output_shape,dtype,fw_ms,bw_ms,acc_ms
0,placeholder,ids,ids,[],"(2, 8)",int64,0,0,0
1,call_module,transformer.wte,transformer_wte,"[[2, 8]]","(2, 8, 32)",float32,0.106,0,0
2,call_method,view,view,"[[2, 8]]","(2, 8)",int64,0.5,0,0
3,call_module,transformer.h.0.ln_1,transformer_h_0_ln_1,"[[2, 8, 32]]","(2, 8, 32)",float32,0.046,0,0
4,call_function,<built-in method matmul>,matmul,"[[2, 4, 8, 16], [2, 4, 16, 8]]","(2, 4, 8, 8)",float32,0.206,0,0
5,call_function,<built-in function add>,add,[[1]],"(1,)",,0.006,0,0
6,call_module,transformer.h.0.mlp.dropout,transformer_h_0_mlp_dropout,"[[2, 8, 32]]","(2, 8, 32)",float32,0.9,0,0
7,call_module,transformer.h.0.mlp.c_fc,transformer_h_0_mlp_c_fc,"[[2, 8, 32]]","(2, 8, 192)",float32,0.306,0,0
8,call_function,<built-in function add>,add_1,"[[2, 8, 32], [2, 8, 32]]","(2, 8, 32)",float32,0.036,0,0
9,call_module,lm_head,lm_head,"[[2, 8, 32]]","(2, 8, 100)",float32,1.006,0,0
""".splitlines()


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"not ok - {what}: {got}, want {wanted}")


operations = origins.read_list(LIST, 36)
check("views, dropout and what is short run no kernel", [o.aten.split(":")[-1] for o in operations],
      ["embedding", "native_layer_norm", "bmm", "linear", "add", "linear"])  # fmt: skip
check("a layer ends with its sum", [o.times for o in operations], [1, 36, 36, 36, 36, 1])
check("without the call", [round(o.ms, 3) for o in operations], [0.1, 0.04, 0.2, 0.3, 0.03, 1.0])
check("batches are flat", operations[2].inputs, [[8, 8, 16], [8, 16, 8]])
check("weights as stored", operations[3].inputs, [[2, 8, 32], [192, 32], [192]])
check("tiles", [o.blocks for o in operations], [16, 16, 8, 3, 1, 2])
events = origins.recording(operations)["traceEvents"]
check("an operation, a launch and a kernel each", len(events), 3 * (2 + 4 * 36))
kernels = [event for event in events if event["cat"] == "kernel"]
check("the time of all", round(sum(event["dur"] for event in kernels) / 1000, 3), 0.1 + 1.0 + 36 * 0.57)
check("kernels of a stream do not overlap", all(a["ts"] + a["dur"] < b["ts"] for a, b in zip(kernels, kernels[1:])), True)
cases = [
    origins.Case("gpt2", "T4", "V100", 10.0, 11.0, 10.5, 11.5), origins.Case("gpt2", "V100", "T4", 10.0, 8.0, 7.0, 14.0),
    origins.Case("gpt2", "P4", "T4", 10.0, 5.0, 4.0, 6.0), origins.Case("gpt2", "T4", "A100-PCIE-40GB", 10.0, 15.0, 9.0, 18.0),
    origins.Case("opt_13", "T4", "A100-PCIE-40GB", 10.0, 10.0, 9.0, 18.0),
]  # fmt: skip
lines = list(origins.section(cases))
for wanted in (
    "| all | 3 | 10.0 | -20.0 | -3.3 | 67 % | 2.00 |",
    "| from T4 | 2 | 5.0 | +10.0 | +5.0 | 50 % | 1.55 |",
    "| onto A100-PCIE-40GB | 1 | 0.0 | +0.0 | +0.0 | 100 % | 2.00 |",
    "| apart: from or onto the P4 | 1 | 50.0 | -50.0 | -50.0 | 0 % | 1.50 |",
    "| apart: others from or onto the A100-PCIE-40GB | 1 | 50.0 | +50.0 | +50.0 | 100 % | 2.00 |",
):
    check(wanted, wanted in lines, True)
print("ok - predictions from other GPUs")
