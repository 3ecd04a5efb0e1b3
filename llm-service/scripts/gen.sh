#!/bin/sh
# Writes the Python code of ../proto into src/llm_service/gen (or into the folder given), and the built-in providers beside it.
# PYTHON names the interpreter that has requirements-dev.txt installed.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-$here/.venv/bin/python}
out=${1:-$here/src/llm_service/gen}
export PATH="$(dirname "$python"):$PATH"

mkdir -p "$out/llm/v1"
"$python" -m grpc_tools.protoc -I "$here/../proto" \
  --python_out="$out" --grpc_python_out="$out" --mypy_out="$out" --mypy_grpc_out="$out" \
  llm/v1/llm.proto
# protoc imports by proto path; ours lives under llm_service.gen.
sed -i 's/^from llm\.v1 import/from llm_service.gen.llm.v1 import/; s/^import llm\.v1\.llm_pb2/import llm_service.gen.llm.v1.llm_pb2/' \
  "$out"/llm/v1/llm_pb2_grpc.py "$out"/llm/v1/llm_pb2_grpc.pyi
cp "$here/../libs/catalog/src/builtin/llm-providers.yaml" "$out/"
for folder in "$out" "$out/llm" "$out/llm/v1"; do
  printf '"""Generated from proto/ by scripts/gen.sh."""\n' > "$folder/__init__.py"
done
