/* Lists in a form: an item is changed, moved or taken out. */

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

/** With the item a place further up or down. At the end of the list it stays. */
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
