/** JSON numbers that a double holds, with the text of the value that is stored. */
export const HELD = [
  ["0.1", "0.1"],
  ["19.99", "19.99"],
  ["1e2", "100"],
  ["999999999999999", "999999999999999"],
  ["-0", "0"]
] as const

/** JSON numbers that no double prints as the same value. */
export const NOT_HELD = ["9007199254740993", "0.1234567890123456789", "1e400"] as const
