import type { Listing, Page } from "./Calls.ts"

/** The list whose pages `page` asks for, from the one behind `first` on. */
export const listing = <Item>(
  first: string | undefined,
  page: (cursor: string | undefined) => Promise<Page<Item>>
): Listing<Item> => {
  const pages = async function* () {
    for (let cursor = first; ;) {
      const next = await page(cursor)
      yield next
      if (next.nextCursor === null) return
      cursor = next.nextCursor
    }
  }
  return {
    page: () => page(first),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items
    }
  }
}
