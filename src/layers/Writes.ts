/** A statement as it is sent: a text with `$1`, `$2`, …, and what they stand for. Those of `sql` are such too. */
export interface Write {
  readonly compile: () => readonly [text: string, values: ReadonlyArray<unknown>]
}

/** A write of constant text, which need not be made anew each time. */
export const write = (text: string, values: ReadonlyArray<unknown>): Write => ({ compile: () => [text, values] })

/** The text of a statement whose parameters stand behind `count` others. */
const behind = (text: string, count: number) =>
  count === 0 ? text : text.replaceAll(/\$(\d+)/g, (_, place: string) => `$${Number(place) + count}`)

const joined = (writes: ReadonlyArray<readonly [text: string, values: ReadonlyArray<unknown>]>): string => {
  let count = 0
  const texts = writes.map(([text, values]) => {
    const placed = behind(text, count)
    count += values.length
    return placed
  })
  const last = texts.pop() ?? ""
  const others = texts.map((text, index) => `write_${index} as (${text})`)
  return others.length === 0 ? last : `with ${others.join(", ")} ${last}`
}

/** Texts made so far, by those they are made of. There are a few dozen: what differs from write to write are values. */
const made = new Map<string, string>()

/** Several writes as one statement: all but the last are common table expressions, and all of them are done. */
export const together = (writes: ReadonlyArray<Write>): readonly [text: string, values: ReadonlyArray<unknown>] => {
  const parts = writes.map((write) => write.compile())
  const key = parts.map(([text]) => text).join("\0")
  const text = made.get(key) ?? joined(parts)
  made.set(key, text)
  return [text, parts.flatMap(([, values]) => values)]
}
