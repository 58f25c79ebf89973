import { InvalidRequest } from "../../domain/oauth/Refusals.ts"

/** What a parameter of a query or form says. One without a value is as good as left out (RFC 6749, section 3.1). */
export const said = (parameters: URLSearchParams, name: string): string | undefined => parameters.get(name) || undefined

/** Refuses what is said more than once (RFC 6749, section 3.1): of two readers each could believe another one. */
export const refusalOfTwice = (
  parameters: URLSearchParams,
  names: ReadonlyArray<string> = [...parameters.keys()]
): InvalidRequest | undefined => {
  const name = names.find((name) => parameters.getAll(name).length > 1)
  if (name === undefined) return undefined
  return new InvalidRequest({ reason: "A parameter is there more than once; send each of them once" })
}
