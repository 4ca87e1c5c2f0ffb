"$habitat" gpus --csv | python3 -c "
import csv, sys
rows = list(csv.DictReader(sys.stdin))
print({row[\"name\"]: row[\"sm_count\"] for row in rows}[\"T4\"])"
