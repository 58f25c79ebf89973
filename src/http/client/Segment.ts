/** A value as one segment of a path. What would lead elsewhere is no id of anything. */
export const segment = (value: string): string => {
  if (value === "" || value === "." || value === "..") throw new TypeError(`"${value}" names nothing`)
  return encodeURIComponent(value)
}
