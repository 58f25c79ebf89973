import { useEffect, useState } from "react"

/** What was typed, when it has rested for some milliseconds. */
export const useDebouncedValue = <A>(value: A, millis = 200): A => {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), millis)
    return () => clearTimeout(timer)
  }, [value, millis])
  return debounced
}
