/* CSV tables (RFC 4180, UTF-8, header line), plain or gzip, read record by record. One reader for
 * measurements, tables of operations and whatever else comes in columns.
 *
 * Half: experimental.
 * Units: the columns of a table say theirs (docs/dataset.md).
 * Ownership: the caller closes a reader. Texts belong to the reader: those of a record until the
 * next one is read, the others until the reader is closed.
 * Errors: a habitat_status with file and line in `err`, which may be NULL. After a failure a reader
 * can only be closed.
 * Threads: one reader is for one thread at a time. */
#ifndef HABITAT_CSV_H
#define HABITAT_CSV_H

#ifndef HABITAT_EXPERIMENTAL
#error "<habitat/csv.h> is experimental; define HABITAT_EXPERIMENTAL to use it (habitat.h)"
#endif

#include <stddef.h>
#include <stdint.h>

#include <habitat/status.h>
#include <habitat/units.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Columns of a table, bytes of a record (with the line ends in its quoted fields). Beyond them a
 * table is refused: an endless input ends. */
enum { HABITAT_CSV_COLUMNS_MAX = 256, HABITAT_CSV_RECORD_MAX_BYTES = 1 << 20 };
/* Bytes of a whole table, unpacked. */
#define HABITAT_CSV_FILE_MAX_BYTES (UINT64_C(2) << 30)

/* A table that is being read. */
typedef struct habitat_csv_reader habitat_csv_reader;

/** Open a table and read its header line. A byte order mark is left out.
 * @param path file, or anything that can be read from beginning to end.
 * @param out  receives the reader; free with habitat_csv_close(). Untouched on error.
 * @param err  where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_IO (cannot be read); HABITAT_E_FORMAT with line 1 (no header of at
 *         least two columns, a name twice, more columns than the limit); HABITAT_E_PARSE as
 *         habitat_csv_next(); HABITAT_E_MEMORY.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_csv_open(const char *path, habitat_csv_reader **out,
                                            habitat_error *err);

/** The same from an open file or pipe, from where it stands to its end.
 * @param descriptor stays the caller's.
 * @param name       used in errors.
 * @param out        receives the reader; free with habitat_csv_close(). Untouched on error.
 * @param err        where and why on failure; may be NULL.
 * @return as habitat_csv_open().
 * @note   Safe from several threads.
 * @tested tests/cli/cases/predict_ops_stdin.sh @since 0.3 */
HABITAT_API habitat_status habitat_csv_open_descriptor(int descriptor, const char *name,
                                                       habitat_csv_reader **out,
                                                       habitat_error *err);

/** Names of the columns.
 * @param reader borrowed for the call.
 * @param count  receives their number.
 * @return borrowed, shape (*count), until the reader is closed.
 * @note   One thread at a time for one reader.
 * @since 0.2 */
HABITAT_API const char *const *habitat_csv_columns(const habitat_csv_reader *reader, size_t *count);

/** Next record. Empty lines are skipped.
 * @param reader moves on to the next record.
 * @param record receives it as it stands, without its line end (LF or CRLF), borrowed until the
 *               next call; NULL at the end of the table.
 * @param err    where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_PARSE with the record's first line: a zero byte, a quoted field
 *         that never ends, a carriage return inside a line, a record or table beyond the limits,
 *         another number of fields than the header's, a damaged or cut gzip file; HABITAT_E_IO;
 *         HABITAT_E_MEMORY.
 * @note   One thread at a time for one reader.
 * @tested tests/unit/test_csv.c @since 0.1 */
HABITAT_API habitat_status habitat_csv_next(habitat_csv_reader *reader, const char **record,
                                            habitat_error *err);

/** One field of the current record as it stands, with its quotes; before the first record, of the
 * header.
 * @param reader borrowed for the call.
 * @param i      0 to the number of columns - 1.
 * @param length receives its length in bytes.
 * @return borrowed until the next record is read; no NUL at its end.
 * @note   One thread at a time for one reader.
 * @since 0.2 */
HABITAT_API const char *habitat_csv_raw(const habitat_csv_reader *reader, size_t i, size_t *length);

/** Field of the current record, quotes taken off, by the name of its column.
 * @param reader borrowed for the call.
 * @param column its name in the header line.
 * @return borrowed until the next record is read; "" when empty, NULL without such a column.
 * @note   One thread at a time for one reader.
 * @since 0.2 */
HABITAT_API const char *habitat_csv_text(const habitat_csv_reader *reader, const char *column);

/** The same as a number.
 * @param reader borrowed for the call.
 * @param column its name in the header line.
 * @return NaN when it is empty, missing or no decimal number.
 * @note   One thread at a time for one reader.
 * @since 0.2 */
HABITAT_API double habitat_csv_number(const habitat_csv_reader *reader, const char *column);

/** Where the current record begins.
 * @param reader borrowed for the call.
 * @return line of the file; the first line is 1.
 * @note   One thread at a time for one reader.
 * @since 0.2 */
HABITAT_API uint64_t habitat_csv_line(const habitat_csv_reader *reader);

/** Close a table.
 * @param reader freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.2 */
HABITAT_API void habitat_csv_close(habitat_csv_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
