import { Button } from "../../../shared/ui/form/Button.tsx"
import { Row } from "../../../shared/ui/layout/Page.tsx"
import { productTexts } from "../productTexts.ts"

/* Operations on keyed lists in a form. */

interface Keyed {
  readonly key: string
}

export const removeItem = <Item extends Keyed>(items: ReadonlyArray<Item>, key: string): ReadonlyArray<Item> =>
  items.filter((item) => item.key !== key)

export const updateItem = <Item extends Keyed>(
  items: ReadonlyArray<Item>,
  key: string,
  members: Partial<Item>
): ReadonlyArray<Item> => items.map((item) => (item.key === key ? { ...item, ...members } : item))

/** Moves an item one place up or down, within the list. */
export const moveItem = <Item extends Keyed>(
  items: ReadonlyArray<Item>,
  key: string,
  by: -1 | 1
): ReadonlyArray<Item> => {
  const from = items.findIndex((item) => item.key === key)
  const item = items[from]
  const other = items[from + by]
  if (item === undefined || other === undefined) return items
  return items.with(from, other).with(from + by, item)
}

interface ItemButtonsProps<Item> {
  /** Name of the item, such as "media 2". */
  readonly name: string
  readonly item: Item
  readonly items: ReadonlyArray<Item>
  readonly change: (items: ReadonlyArray<Item>) => void
}

/** Moves or removes an item of a list. */
export const ItemButtons = <Item extends { readonly key: string }>({
  change,
  item,
  items,
  name
}: ItemButtonsProps<Item>) => (
  <Row>
    <Button
      kind="quiet"
      aria-label={productTexts.items.moveUp(name)}
      disabled={items[0] === item}
      onClick={() => change(moveItem(items, item.key, -1))}
    >
      ↑
    </Button>
    <Button
      kind="quiet"
      aria-label={productTexts.items.moveDown(name)}
      disabled={items.at(-1) === item}
      onClick={() => change(moveItem(items, item.key, 1))}
    >
      ↓
    </Button>
    <Button
      kind="quiet"
      aria-label={productTexts.items.removeItem(name)}
      onClick={() => change(removeItem(items, item.key))}
    >
      {productTexts.items.remove}
    </Button>
  </Row>
)
