"""Variants: values of any type with their types, in Spark's own encoding (that of the Parquet specification).

build    the bytes of scalars, arrays and objects, and the metadata that holds the names of fields
read     a place in a variant, its kind and its parts
parse    JSON text to a variant
show     a variant as JSON text
cast     a variant as a value of a Spark type
convert  a value of a Spark type as a variant
schema   the types inside a variant, merged
"""
