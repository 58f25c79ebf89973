/** The parameters of a query by name; one that was sent more than once is a list. */
export type Query = Readonly<Record<string, string | ReadonlyArray<string>>>

/**
 * Reads the parameters that an endpoint has. A client chooses how many others it sends, and whether all have the same
 * name, so nothing is done for each of them: what it takes grows with the length of the query.
 */
export const queryOf = (text: string, names: ReadonlyArray<string>): Query => {
  if (names.length === 0) return {}
  const given = new URLSearchParams(text)
  const query: Record<string, string | ReadonlyArray<string>> = {}
  for (const name of names) {
    const values = given.getAll(name)
    const [first] = values
    if (first !== undefined) query[name] = values.length === 1 ? first : values
  }
  return query
}
