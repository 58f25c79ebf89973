import { CollectionQuery } from "../../../domain/catalog/Queries.ts"
import { searchParser } from "../../shared/data/urlSearch.ts"

/** Search and sort order of the list, in the URL. */
export const parseCollectionSearch = searchParser(CollectionQuery)
