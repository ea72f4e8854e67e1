"""What is asked and answered under /v1, one file for each thing that can be asked for."""
