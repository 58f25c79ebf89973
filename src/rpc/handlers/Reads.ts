import { DEFAULT_LIMIT, type PageRequest } from "../../domain/Page.ts"

/** What a list is asked with. */
interface Paged<Id> {
  readonly cursor?: Id
  readonly limit?: number
}

/** The page that is asked for. */
export const requestOf = <Id>({ cursor, limit = DEFAULT_LIMIT }: Paged<Id>): PageRequest<Id> => ({ cursor, limit })
