import { Button } from "../../ui/Button.tsx"
import { Row } from "../../ui/Page.tsx"
import { moveItem, removeItem } from "./listItems.ts"

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
      aria-label={`Move ${name} up`}
      disabled={items[0] === item}
      onClick={() => change(moveItem(items, item.key, -1))}
    >
      ↑
    </Button>
    <Button
      kind="quiet"
      aria-label={`Move ${name} down`}
      disabled={items.at(-1) === item}
      onClick={() => change(moveItem(items, item.key, 1))}
    >
      ↓
    </Button>
    <Button kind="quiet" aria-label={`Remove ${name}`} onClick={() => change(removeItem(items, item.key))}>
      Remove
    </Button>
  </Row>
)
