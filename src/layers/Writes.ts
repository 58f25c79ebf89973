/** A statement as it is sent: a text with `$1`, `$2`, …, and what they stand for. Those of `sql` are such too. */
export interface Write {
  readonly compile: () => readonly [text: string, values: ReadonlyArray<unknown>]
}

/** A write of constant text, which need not be made anew each time. */
export const write = (text: string, values: ReadonlyArray<unknown>): Write => ({ compile: () => [text, values] })

/** The text of a statement whose parameters stand behind `count` others. */
const behind = (text: string, count: number) =>
  count === 0 ? text : text.replaceAll(/\$(\d+)/g, (_, place: string) => `$${Number(place) + count}`)

/** Several writes as one statement: all but the last are common table expressions, and all of them are done. */
export const together = (writes: ReadonlyArray<Write>): readonly [text: string, values: ReadonlyArray<unknown>] => {
  const texts: Array<string> = []
  const values: Array<unknown> = []
  for (const write of writes) {
    const [text, given] = write.compile()
    texts.push(behind(text, values.length))
    values.push(...given)
  }
  const last = texts.pop() ?? ""
  const others = texts.map((text, index) => `write_${index} as (${text})`)
  return [others.length === 0 ? last : `with ${others.join(", ")} ${last}`, values]
}
