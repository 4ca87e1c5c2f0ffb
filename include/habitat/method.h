/* Methods of prediction: their numbers and names. A method turns a recorded time into a time on
 * another GPU; docs/formulas.md explains each.
 *
 * Half: stable, but for what is marked as experimental. Go by names: numbers may change.
 * Units: none.
 * Ownership: names are static texts.
 * Errors: a habitat_status; on failure outputs are untouched, and `err`, which may be NULL, says
 * why.
 * Threads: pure functions; safe from several threads. */
#ifndef HABITAT_METHOD_H
#define HABITAT_METHOD_H

#include <stdbool.h>

#include <habitat/status.h>
#ifdef HABITAT_EXPERIMENTAL
#include <habitat/models.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Every method, in the order in which messages list them: the end of its number's name
 * (HABITAT_METHOD_WAVE), and of its struct's in src/predict (method_wave). The last three cannot be
 * asked for. They say where a single number comes from. */
#define HABITAT_METHODS(METHOD)                                                                    \
    METHOD(AUTO, auto)             /* the most accurate one for each operation */                  \
    METHOD(HABITAT, habitat)       /* the paper's: networks, and wave scaling for the rest */      \
    METHOD(MLP, mlp)               /* the paper's networks alone */                                \
    METHOD(WAVE, wave)             /* wave scaling, equation 1 */                                  \
    METHOD(WAVE_LARGE, wave_large) /* wave scaling, equation 2 */                                  \
    METHOD(FLOPS, flops)           /* ratio of peak arithmetic rates */                            \
    METHOD(BANDWIDTH, bandwidth)   /* ratio of memory bandwidths */                                \
    METHOD(ROOFLINE, roofline)     /* ratio of roofline times */                                   \
    METHOD(SAME, same)             /* same GPU: the measurement itself */                          \
    METHOD(LEARNED, learned)       /* operator models of auto */                                   \
    METHOD(FALLBACK, fallback)     /* the method asked for did not cover it */

/* The number of a method. */
#define HABITAT_METHOD_NUMBER(name, plug) HABITAT_METHOD_##name,

/* Number of a method, in the order of HABITAT_METHODS. */
typedef enum habitat_method {
    HABITAT_METHODS(HABITAT_METHOD_NUMBER) HABITAT_METHOD_COUNT
} habitat_method;

/** Name as on the command line ("wave-large").
 * @param method any value.
 * @return static string.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *habitat_method_name(habitat_method method);

/** Whether a person can ask for a method.
 * @param method any value.
 * @return false: it only marks single numbers.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API bool habitat_method_askable(habitat_method method);

/** Method from its name.
 * @param name NUL-terminated, borrowed for the call.
 * @param out  receives the result; untouched on failure.
 * @param err  where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_UNKNOWN_METHOD (err names the methods; those that only mark numbers
 *         cannot be asked for).
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_method_from_name(const char *name, habitat_method *out,
                                                    habitat_error *err);

#ifdef HABITAT_EXPERIMENTAL /* ---- experimental half ---- */

/** Which operator models a method asks.
 * @param method any value.
 * @param out    receives the result; untouched on failure.
 * @param err    where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_UNSUPPORTED (none; err names the methods that do).
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_method_models(habitat_method method, habitat_model_use *out,
                                                 habitat_error *err);

#endif /* ---- end of the experimental half ---- */

#ifdef __cplusplus
}
#endif
#endif
