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
