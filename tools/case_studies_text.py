"""The words of docs/case-studies.md; numbers are put in by tools/case_studies.py."""

HEAD = """# Case studies

Five decisions, each with the numbers that decide it. Made by `tools/case_studies.py build/habitat` (`make eval` runs it); do not edit.
The first three are those of the paper (*A Runtime-Based Computational Performance Predictor for Deep Neural Network Training*, USENIX ATC 2021),
its two case studies and the warning of its introduction, asked again of Habitat as it is now. The last two are of today.

The paper recorded on the GPU that its user owned. Our recordings are of an H200 and an H100 ([recordings.md](recordings.md)), with newer software.
So each case predicts from a GPU that is far from all of those compared: a harder question than the paper's. Nothing was tuned for this page: the
predictions are those of `habitat predict`, and where they disagree with a measurement, the page says so.
"""

RENT = """## GNMT on a workstation card: which GPU to rent?

A user has a Quadro P4000 and trains GNMT (fp32). Google Cloud rents a P100, a T4 or a V100. Prices are the list prices of that time, of the GPU
alone in us-central1 (P100 $1.46, T4 $0.35, V100 $2.48 an hour; the same from January 2020 to 2025, [prices.md](prices.md)). "Of the best" is the
cost-normalised throughput, relative to the best of the batch size.

{table}
```console
$ habitat choose data/recordings/gnmt_b48_fp32_h200.json.gz --to P100-PCIE-16GB,T4,V100-SXM2-16GB --price P100-PCIE-16GB=1.46 --price T4=0.35 --price V100-SXM2-16GB=2.48
```

* The paper: the T4 gives the most for a dollar. Habitat: the {best}. It {best_agrees}.
* The paper: the V100 is the fastest. Habitat: the {fastest}. It {fastest_agrees}.
* Measured: no public measurement of GNMT on a P4000, P100 or T4 was found. Of a V100 and an RTX 2080 Ti there is one (lambdal/deeplearning-benchmark,
  fp32, tokens a second at the largest batch that fits: {old} and {new} sentences): the V100 is {measured} as fast. Habitat, at batch 48 on both,
  says {predicted}. The V100's larger batch explains a part at most, so Habitat may favour Turing cards here. The T4's lead for a dollar is larger than that.
* Measured on all three cards, of other models (data/measurements/e2e_models.csv, source neusight, forward, fp32; V100-PCIE-32GB): of {steps} language
  models' steps the T4 gave the most for a dollar in {t4_best}, by {t4_lead} over the next in the mean.

What would change the answer: a deadline. The T4 is cheap and slow; whoever must be done sooner pays for the V100.
"""

WORTH = """## DCGAN: is the V100 worth it over the 2080 Ti?

A user owns an RTX 2080 Ti and trains DCGAN (fp32). Is a V100 worth its rent?

{table}
* The paper: no, the V100 is 1.1x as fast. Habitat: {low} and {high}. It {agrees}: no.
* Data sheets alone do not say it: {peak} by peak FLOP/s, {bandwidth} by bandwidth.
* Measured: no public measurement of DCGAN on these cards was found. The nearest is ResNet-50, batch 64 (tests/golden/measured_iterations.csv): there the
  V100 is {measured} as fast, and Habitat says {resnet}. There Habitat gives the 2080 Ti too much; if DCGAN shares that error, the V100's true gain is
  larger than the table's, and still far from what its rent costs beside a card that is paid for.
"""

MISLED = """## Scaling by peak FLOP/s

The paper warns: a DCGAN iteration scaled from a T4 by peak FLOP/s errs by more than 40 %.

No published DCGAN iterations were found. What others did measure on a T4 and elsewhere is language models (forward, fp32). The
T4's measured time times the ratio of the peaks, beside `auto` from our recording on an H200, which had to come from much further:

{t4}
By peak FLOP/s, {over} of {of} are off by more than 40 % ({peak} in the mean); `auto` is off by {auto} in the mean. The paper's warning {agrees} with these rows.

From our recordings, all on the H200, onto the GPUs of others ([accuracy.md](accuracy.md)); the P4 is left out, as there:

{kinds}
And DCGAN itself. These are predictions on both sides, so they show how far apart the two rules are, not which is right:

{dcgan}
On the H200 convolutions in fp32 run far below the peak, on older cards nearer to theirs: a ratio of peaks cannot know that.
"""

DOLLARS = """## A Llama-style step in bf16, by cost

`llama` of 1.1 B parameters, 2048 tokens, batch 4, AdamW, recorded on an H200. Prices are the lowest on demand in `data/prices.json`
(2026-09-25: RunPod's community cloud; [prices.md](prices.md)).

{table}
```console
$ habitat choose data/recordings/llama_b4_bf16_h200.json.gz --to L40S,A100-SXM4-80GB,H100-SXM5-80GB,H200-SXM5-141GB,B200-SXM-180GB,RTX4090
```

* Habitat takes the {recommended}: {reason}. It leaves {left} GB of memory free. Below 0 in the last column: the step may not fit, so the RTX 4090 is
  not taken, although it costs the least.
* No other GPU is both faster and cheaper than one of these: {pareto}.
* Measured: the same step on an H100 took {measured} ms, predicted were {predicted} ms ({error}). Of the other five no public measurement of such a step was found:
  the order of A100, L40S and RTX 4090 is unchecked, and so is the B200's.
* By cost some of them are within a few per cent of each other, with wider intervals: `habitat choose` calls those ties.
"""

UPGRADED = """## From H200 to B200: what peak FLOP/s promises

By peak FLOP/s in bf16 a B200 is {peak} an H200, by bandwidth {bandwidth}. stas00/ml-engineering (744d01e, insights/when-to-upgrade-gpus) measured a training
step of Llama-3.1-8B with 8192 tokens a GPU on both, with the same software (PyTorch 2.13, FlashAttention 3 and 4, ZeRO-2 over 8 GPUs): 1.69x.

Nobody needs a GPU to ask: `habitat record --no-gpu` recorded the shapes of such a model (`examples/llama.py`, sizes of Llama-3.1-8B, one GPU, AdamW). So this
is the "only an idea" case: every time is a model's. Their milliseconds follow from their TFLOP/s and their way to count.

{table}
```console
$ habitat predict data/recordings/without_gpu/llama_8b_b1_s8192_bf16.json.gz --to H200-SXM5-141GB,B200-SXM-180GB --by class
```

* Habitat says {ratio}: {error} from what was measured; the ratio of peaks is {peak_error} from it. It finds the reason: matrix products gain {gemm},
  but what goes through memory only {elementwise} (element by element) and {optimizer} (optimiser).
* Attention, {attention}: {attention_agrees} within 5 %.
* The rest, {rest}: {rest_agrees} within 5 %. Habitat trusts the B200's matrix products more than that software let them reach.
* Nor do the milliseconds: Habitat is {slow_old} % (H200) and {slow_new} % (B200) too fast. Their step also sends gradients between 8 GPUs, and runs DeepSpeed and
  Transformers; ours is a bare loop on one GPU, by models alone, with the whole optimiser.
* The recorded step of the 1.1 B model above, with 2048 tokens, gains {small}: another model; no measurement of it on a B200 exists.
* By the prices above a B200 (${new_price} an hour) costs {dearer} an H200 (${old_price}). For a dollar the measured gain makes it {gain_measured} of an H200,
  Habitat's {gain_predicted}, the ratio of peaks {gain_peak}: the peaks see a bargain where there is none.
"""
