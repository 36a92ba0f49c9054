# How each real program is built, and what its real job is.  Sourced by run.sh; $work is the scratch directory; functions run in the
# program's source directory ($work/PACKAGE/src for job_*), with raddle's commands on PATH.
PACKAGES=(pbzip2 pixz memcached liburcu)

controlled() { # one controlled run of a long program
    raddle run --runs 1 --max-steps 1000000000 --hang-after 60s --out "$work/out" --seed 1 "$@"
}

build_pbzip2() { make CXX=raddle-c++; }
job_pbzip2() {
    cd "$work" || return 1
    cp input pbzip2.in
    controlled -- "$work/pbzip2/src/pbzip2" -k -f -p3 -b1 pbzip2.in || return 1
    bzip2 -dc pbzip2.in.bz2 | cmp - pbzip2.in || return 1
    rm pbzip2.in
    controlled -- "$work/pbzip2/src/pbzip2" -d -k -f -p3 pbzip2.in.bz2 || return 1
    cmp pbzip2.in input
}

build_pixz() {
    autoreconf -fi && ./configure CC=raddle-cc --without-manpage && make
}
job_pixz() {
    cd "$work" || return 1
    controlled -- "$work/pixz/src/src/pixz" -p 3 -0 input pixz.xz || return 1
    xz -dc pixz.xz | cmp - input || return 1
    controlled -- "$work/pixz/src/src/pixz" -d -p 3 pixz.xz pixz.out || return 1
    cmp pixz.out input
}

build_memcached() { ./configure CC=raddle-cc && make memcached; }
# A client outside stores and reads back, then asks the server to end.
job_memcached() {
    local port=21211 i
    (
        sleep 2
        {
            for i in $(seq 50); do printf 'set key%d 0 0 5\r\nhello\r\n' "$i"; done
            for i in $(seq 50); do printf 'get key%d\r\n' "$i"; done
            printf 'shutdown\r\n'
            sleep 2
        } | timeout 50 nc 127.0.0.1 "$port" >"$work/memcached.answers"
    ) &
    controlled --hang-after 20s -- "$work/memcached/src/memcached" -u root -A -U 0 -p "$port" -l 127.0.0.1 -t 2 || return 1
    wait
    [ "$(grep -c '^STORED' "$work/memcached.answers")" -eq 50 ] && [ "$(grep -c '^hello' "$work/memcached.answers")" -eq 50 ]
}

build_liburcu() { ./configure CC=raddle-cc CXX=raddle-c++ --disable-shared && make; }
job_liburcu() {
    local test
    for test in test_urcu test_urcu_mb test_urcu_qsbr test_urcu_bp; do
        controlled -- "tests/benchmark/$test" 2 1 1 || return 1
    done
    controlled -- tests/benchmark/test_urcu_lfq 2 2 1
}
