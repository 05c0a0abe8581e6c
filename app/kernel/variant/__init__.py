"""Variants: how they are carried, read from JSON, cast, shown, and exchanged in Spark's bytes.

carried  the text a variant is carried as, and the tree it is read to
fold     what is made of a tree from the leaves up, however deep
parse    JSON to carried texts
cast     trees to values of Spark's types; convert is the way back
show     trees as JSON
schema   the types inside
build, read, spark   the bytes of Spark
"""
