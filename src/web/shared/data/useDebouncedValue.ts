import { useEffect, useState } from "react"

/** Returns the value after it has not changed for `millis`. */
export const useDebouncedValue = <A>(value: A, millis = 200): A => {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), millis)
    return () => clearTimeout(timer)
  }, [value, millis])
  return debounced
}
