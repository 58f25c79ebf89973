import { useEffect, useEffectEvent, useState } from "react"
import { type FieldTexts, TextField } from "./Field.tsx"

/** Milliseconds without typing after which the text is searched. */
const PAUSE_MILLIS = 200

interface SearchFieldProps extends FieldTexts {
  readonly placeholder?: string
  /** Text that is searched. It may change without typing, as by the back button. */
  readonly value: string
  readonly change: (text: string) => void
}

/** Search box that searches after a pause in typing. */
export const SearchField = ({ change, value, ...field }: SearchFieldProps) => {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  /** Last text that this box searched, whose arrival as `value` must not undo later typing. */
  const [sent, setSent] = useState(value)
  if (value !== seen) {
    setSeen(value)
    if (value !== sent) {
      setSent(value)
      setText(value)
    }
  }
  const send = useEffectEvent((next: string) => {
    setSent(next)
    change(next)
  })
  useEffect(() => {
    const next = text.trim()
    if (next === sent) return
    const timer = setTimeout(() => send(next), PAUSE_MILLIS)
    return () => clearTimeout(timer)
  }, [text, sent])
  return (
    <TextField {...field} type="search" maxLength={255} value={text} onChange={({ target }) => setText(target.value)} />
  )
}
