import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useState } from "react"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { CellField, CellSelect, NumberCell } from "../../../shared/ui/form/Field.tsx"
import { type VirtualColumn, VirtualTable } from "../../../shared/ui/display/VirtualTable.tsx"
import { MutedText, Row } from "../../../shared/ui/layout/Page.tsx"
import css from "../Products.module.css"
import { removeItem } from "./ItemLists.tsx"
import type { VariantDraft } from "./productDraft.ts"
import type { FormState } from "./productFields.ts"
import {
  type CellColumn,
  cellColumns,
  type CellsEdit,
  fillDown,
  groupsOf,
  missingVariants,
  newVariant,
  parseCells,
  pasteCells,
  priceRange,
  refusalText,
  type VariantGroup
} from "./variantTable.ts"
import { productTexts } from "../productTexts.ts"
import { pictureColumn, VariantPicture } from "./VariantPicture.tsx"

/** Validation messages above the table. The next ones follow once these are corrected. */
const MAX_PROBLEMS = 5

/** Focuses the cell above or below, in the same column. */
const moveFocus = (event: KeyboardEvent<HTMLElement>): void => {
  const isUp = event.key === "ArrowUp"
  if (!isUp && event.key !== "ArrowDown" && event.key !== "Enter") return
  event.preventDefault()
  const cell = event.currentTarget.closest("td")
  const next = (row: Element | null | undefined) => (isUp ? row?.previousElementSibling : row?.nextElementSibling)
  for (let row = next(cell?.parentElement); row; row = next(row)) {
    const input = row.children[cell?.cellIndex ?? 0]?.querySelector<HTMLElement>("input, select")
    if (input) return input.focus()
  }
}

interface Line {
  readonly key: string
  readonly variant?: VariantDraft
  readonly group?: VariantGroup
}

const linesOf = (variants: ReadonlyArray<VariantDraft>): ReadonlyArray<Line> =>
  variants.map((variant) => ({ key: variant.key, variant }))

const removeColumn = (
  positionOf: (variant: VariantDraft) => number,
  remove: (key: string) => void
): VirtualColumn<Line> => ({
  name: productTexts.variants.remove,
  isNameHidden: true,
  width: 110,
  cell: ({ variant }) =>
    variant === undefined ? undefined : (
      <Button
        kind="quiet"
        aria-label={productTexts.variants.removeVariant(positionOf(variant) + 1)}
        onClick={() => remove(variant.key)}
      >
        {productTexts.variants.remove}
      </Button>
    )
})

interface VariantsCardProps {
  readonly editing: FormState
  /** Stock buttons of existing variants. */
  readonly stock: ReadonlyMap<string, ReactNode>
}

/** Variants as a table of cells, grouped by the first of several options. */
export const VariantsCard = ({ editing, stock }: VariantsCardProps) => {
  const { draft, edit, problems } = editing
  const { options, variants } = draft
  /** Key of the variant whose picture is chosen. */
  const [pictured, setPictured] = useState<string>()
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [focused, setFocused] = useState<{ readonly key: string; readonly column: string }>()
  /** Last edit of many cells, with the variants before it. */
  const [last, setLast] = useState<{ readonly before: ReadonlyArray<VariantDraft>; readonly edit: CellsEdit }>()

  const missing = missingVariants(options, variants)
  const positions = new Map(variants.map(({ key }, index) => [key, index]))
  const positionOf = ({ key }: VariantDraft) => positions.get(key) ?? 0
  const cells = cellColumns(options, draft.trackInventory, draft.currencyCode)
  const groups = groupsOf(options, variants)
  const variantProblems = [...problems].filter(([path]) => path === "variants" || path.startsWith("variants."))
  const invalid = new Set(variantProblems.map(([path]) => Number(path.split(".")[1])))
  const isClosed = ({ name, variants: members }: VariantGroup) =>
    closed.has(name) && !members.some((variant) => invalid.has(positionOf(variant)))
  const lines: ReadonlyArray<Line> =
    groups.length === 0
      ? linesOf(variants)
      : groups.flatMap((group) => [
          { key: `group ${group.name}`, group },
          ...(isClosed(group) ? [] : linesOf(group.variants))
        ])

  const change = (next: VariantDraft) =>
    edit({ variants: variants.map((variant) => (variant.key === next.key ? next : variant)) })
  const apply = (cellsEdit: CellsEdit) => {
    setLast({ before: variants, edit: cellsEdit })
    edit({ variants: cellsEdit.variants })
  }
  /** Keys of a row and of the visible ones below it. */
  const keysFrom = (key: string, from: ReadonlyArray<Line> = lines) =>
    from
      .slice(from.findIndex((line) => line.key === key))
      .flatMap(({ variant }) => (variant === undefined ? [] : [variant.key]))
  const fill = (key: string, column: CellColumn) => {
    const group = groups.find(({ variants: members }) => members.some((variant) => variant.key === key))
    apply(fillDown(variants, keysFrom(key, linesOf(group?.variants ?? variants)), column))
  }
  const paste = (event: ClipboardEvent, key: string, column: CellColumn) => {
    const copied = parseCells(event.clipboardData.getData("text/plain"))
    // The input itself takes a single text.
    if (copied.length === 1 && copied[0]?.length === 1) return
    event.preventDefault()
    apply(pasteCells(variants, keysFrom(key), cells.slice(cells.indexOf(column)), copied))
  }

  /** Text in empty cells: the value of the product, which then applies. */
  const inherited = new Map([
    ["price", draft.price],
    ["discountedPrice", draft.discountedPrice],
    ["costPrice", draft.costPrice]
  ])
  const cellOf = (column: CellColumn, variant: VariantDraft) => {
    const position = positionOf(variant)
    const cell = {
      label: productTexts.variants.cell(column.name, position + 1),
      value: column.read(variant),
      onChange: ({ target }: { readonly target: { readonly value: string } }) =>
        change(column.write(variant, target.value)),
      onFocus: () => setFocused({ key: variant.key, column: column.id }),
      onPaste: (event: ClipboardEvent) => paste(event, variant.key, column),
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
        if ((event.ctrlKey || event.metaKey) && event.key === "d") {
          event.preventDefault()
          fill(variant.key, column)
        } else if (column.choices === undefined) moveFocus(event)
      }
    }
    if (column.choices !== undefined) return <CellSelect {...cell} choices={column.choices} />
    const Control = column.isNumber ? NumberCell : CellField
    return (
      <Control
        {...cell}
        problem={problems.get(`variants.${position}.${column.id}`)}
        placeholder={inherited.get(column.id)}
      />
    )
  }
  const groupCell = (group: VariantGroup, index: number, column: CellColumn) => {
    const { name, variants: members } = group
    if (index === 0) {
      const isOpen = !isClosed(group)
      const toggle = () =>
        setClosed(isOpen ? new Set([...closed, name]) : new Set([...closed].filter((other) => other !== name)))
      return (
        <button type="button" className={css["group"]} aria-expanded={isOpen} onClick={toggle}>
          {productTexts.variants.group(name, members.length)}
        </button>
      )
    }
    const range = column.id === "price" ? priceRange(members, draft.price) : undefined
    return range === undefined ? undefined : (
      <MutedText>{productTexts.variants.priceRange(range[0], range[1])}</MutedText>
    )
  }
  const columns: ReadonlyArray<VirtualColumn<Line>> = [
    pictureColumn(positionOf, setPictured),
    ...cells.map((column, index) => ({
      name: column.name,
      width: column.choices === undefined ? (column.isNumber ? 110 : 130) : 100,
      cell: ({ group, variant }: Line) => {
        if (group !== undefined) return groupCell(group, index, column)
        if (variant === undefined) return undefined
        return (column.id === "stock" ? stock.get(variant.key) : undefined) ?? cellOf(column, variant)
      }
    })),
    removeColumn(positionOf, (key) => edit({ variants: removeItem(variants, key) }))
  ]
  const problemText = (path: string, problem: string) => {
    const [, position, ...id] = path.split(".")
    if (position === undefined) return problem
    const name = cells.find((column) => column.id === id.join("."))?.name ?? id.join(".")
    return `${productTexts.variants.location(Number(position) + 1, name)}: ${problem}`
  }
  const picturedVariant = variants.find(({ key }) => key === pictured)
  const focusedColumn = cells.find(({ id }) => id === focused?.column)
  return (
    <div className={css["items"]}>
      <h3>{productTexts.fields.variants}</h3>
      {variantProblems.length === 0 ? undefined : (
        <ul className={css["problems"]} role="alert">
          {variantProblems.slice(0, MAX_PROBLEMS).map(([path, problem]) => (
            <li key={path}>{problemText(path, problem)}</li>
          ))}
        </ul>
      )}
      {variants.length === 0 ? (
        <MutedText>{productTexts.variants.empty}</MutedText>
      ) : (
        <>
          <MutedText>{productTexts.variants.pasteAdvice}</MutedText>
          <div className={css["grid"]}>
            <VirtualTable
              caption={productTexts.fields.variants}
              columns={columns}
              rows={lines}
              keyOf={({ key }) => key}
              rowHeight={52}
            />
          </div>
        </>
      )}
      <output>
        {last?.edit.variants === variants ? (
          <CellsEditSummary edit={last.edit} undo={() => edit({ variants: last.before })} />
        ) : undefined}
      </output>
      <Row>
        {variants.length < 2 || focused === undefined || focusedColumn === undefined ? undefined : (
          <Button
            aria-label={productTexts.variants.fillDownColumn(focusedColumn.name)}
            onClick={() => fill(focused.key, focusedColumn)}
          >
            {productTexts.variants.fillDown}
          </Button>
        )}
        <Button onClick={() => edit({ variants: [...variants, newVariant()] })}>{productTexts.variants.add}</Button>
        {missing.length === 0 ? undefined : (
          <Button onClick={() => edit({ variants: [...variants, ...missing] })}>
            {productTexts.variants.addMissing(missing.length)}
          </Button>
        )}
      </Row>
      {picturedVariant === undefined ? undefined : (
        <VariantPicture
          editing={editing}
          position={positionOf(picturedVariant)}
          variant={picturedVariant}
          choose={(imageUrl) => change({ ...picturedVariant, imageUrl })}
          close={() => setPictured(undefined)}
        />
      )}
    </div>
  )
}

/** Filled, refused and left out cells of a paste or fill-down. */
const CellsEditSummary = ({ edit, undo }: { readonly edit: CellsEdit; readonly undo: () => void }) => (
  <div className={css["items"]}>
    <Row>
      <span>{productTexts.variants.filled(edit.filled)}</span>
      {edit.outside === 0 ? undefined : <span>{productTexts.variants.outside(edit.outside)}</span>}
      {edit.filled === 0 ? undefined : <Button onClick={undo}>{productTexts.variants.undo}</Button>}
    </Row>
    {edit.refused.length === 0 ? undefined : (
      <>
        <p className={css["problems"]}>{productTexts.variants.refused(edit.refused.length)}</p>
        <ul className={css["problems"]}>
          {edit.refused.slice(0, MAX_PROBLEMS).map((refusal) => (
            <li key={`${refusal.key} ${refusal.column}`}>{refusalText(edit.variants, refusal)}</li>
          ))}
        </ul>
      </>
    )}
  </div>
)
