/** Search of the files, in the URL. */
export interface FileSearch {
  readonly search?: string
  readonly unused?: boolean
}

/** Parses the search. Invalid members are dropped. */
export const parseFileSearch = ({ search, unused }: Readonly<Record<string, unknown>>): FileSearch => ({
  ...(typeof search === "string" && search !== "" ? { search: search.slice(0, 255) } : {}),
  ...(typeof unused === "boolean" ? { unused } : {})
})
