"""What Headscope needs of the computer: system libraries, versions, whole files, garbage."""
