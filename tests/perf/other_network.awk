# awk -v times=RATIO -v delay=US -v new_delay=US: a calibration of a testbed with links RATIO times as slow, and another delay
function scaled(key, value) { return key == "latency_us" ? (value - delay) * times + new_delay : value * times }
/^(line|hold|acknowledgement_us) / {
    if ($1 == "acknowledgement_us") { $2 *= times; print; next }
    for (i = 2; i <= NF; i++) {
        split($i, part, "=")
        if (part[1] != "to_bytes" && part[1] != "overhead_us") $i = part[1] "=" scaled(part[1], part[2])
    }
}
!/^#/ { print }
