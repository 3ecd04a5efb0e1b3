# Ends what a tool gateway started, once the gateway is gone in whatever way: its end of our input is
# closed then. Told on the input: "+ GROUP" and "- GROUP" for process groups; $1 marks the environment
# of every process that was started.
trap '' HUP INT TERM
groups=
while read -r change group; do
    case $change in
    +) groups="$groups $group" ;;
    -)
        kept=
        for one in $groups; do
            [ "$one" = "$group" ] || kept="$kept $one"
        done
        groups=$kept
        ;;
    esac
done
for group in $groups; do
    kill -s KILL -- "-$group" 2>/dev/null
done
# What left its group is found by its mark, where there is a /proc.
for round in 1 2 3 4 5; do
    found=$(grep -ls "$1" /proc/[0-9]*/environ 2>/dev/null)
    [ -n "$found" ] || break
    for file in $found; do
        process=${file#/proc/}
        kill -s KILL "${process%/environ}" 2>/dev/null
    done
done
