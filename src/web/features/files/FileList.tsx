import type { ReactNode } from "react"
import type { UsedFile } from "../../../domain/media/File.ts"
import type { FileId, StoreId } from "../../../rpc/Client.ts"
import { number } from "../../shared/data/format.ts"
import { usePagedQuery } from "../../shared/data/queries.ts"
import { EmptyState, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { More } from "../../shared/ui/display/Table.tsx"
import { Badge } from "../../shared/ui/display/Values.tsx"
import { SearchField, SelectField } from "../../shared/ui/form/Field.tsx"
import css from "./Files.module.css"
import type { FileSearch } from "./fileSearch.ts"
import { fileTexts } from "./fileTexts.ts"

const texts = fileTexts.list

const PAGE_SIZE = 48

/** Use and size of a file. */
export const FileFacts = ({ file: { height, usage, width } }: { readonly file: UsedFile }) => (
  <span className={css["facts"]}>
    {usage === 0 ? <Badge>{texts.unused}</Badge> : <span>{texts.usage(usage)}</span>}
    {width === null || height === null ? undefined : <span>{texts.size(number(width), number(height))}</span>}
  </span>
)

interface FileListProps {
  readonly storeId: StoreId
  readonly search: FileSearch
  readonly change: (search: FileSearch) => void
  /** Tile of a file. */
  readonly children: (file: UsedFile) => ReactNode
}

const USES = { all: undefined, unused: true, used: false } as const

const useOf = ({ unused }: FileSearch): keyof typeof USES => {
  if (unused === undefined) return "all"
  return unused ? "unused" : "used"
}

const isUse = (name: string): name is keyof typeof USES => Object.hasOwn(USES, name)

/** Files of the store as tiles, newest first, with a search and a filter by use. */
export const FileList = ({ change, children, search, storeId }: FileListProps) => {
  const { items, more, query } = usePagedQuery(
    [storeId, "files", search],
    (page: { readonly cursor?: FileId }) => (client) =>
      client.files.list({ storeId, limit: PAGE_SIZE, ...search, ...page }),
    { keepPrevious: true }
  )
  const isFiltered = search.search !== undefined || search.unused !== undefined
  const setUse = (name: string) => {
    const { unused: _, ...rest } = search
    const unused = isUse(name) ? USES[name] : undefined
    change(unused === undefined ? rest : { ...rest, unused })
  }
  return (
    <>
      <search className={css["filter"]}>
        <SearchField
          label={texts.search}
          placeholder={texts.searchPlaceholder}
          value={search.search ?? ""}
          change={(text) => {
            const { search: _, ...rest } = search
            change(text === "" ? rest : { ...rest, search: text })
          }}
        />
        <SelectField label={texts.use} value={useOf(search)} onChange={({ target }) => setUse(target.value)}>
          {Object.entries(texts.uses).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </SelectField>
      </search>
      <QueryBoundary query={query} lines={8}>
        {() =>
          items !== undefined && items.length > 0 ? (
            <>
              <ul className={css["grid"]} aria-label={texts.title}>
                {items.map((file) => (
                  <li key={file.id} className={css["tile"]}>
                    {children(file)}
                  </li>
                ))}
              </ul>
              <More {...more} />
            </>
          ) : (
            <EmptyState title={isFiltered ? texts.noMatches : texts.empty}>
              <p>{isFiltered ? texts.noMatchesAdvice : texts.emptyAdvice}</p>
            </EmptyState>
          )
        }
      </QueryBoundary>
    </>
  )
}
