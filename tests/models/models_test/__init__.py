"""Runs investigations with small models on a real llama.cpp server: `make models-test`."""
