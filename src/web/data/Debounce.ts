import { useEffect, useState } from "react"

/** What was typed, when it has rested for some milliseconds. */
export const useSettled = <A>(value: A, millis = 200): A => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), millis)
    return () => clearTimeout(timer)
  }, [value, millis])
  return settled
}
