/** Class names of a CSS module in the build. */
declare module "*.module.css" {
  const classes: Readonly<Record<string, string>>
  export default classes
}

declare module "*.css" {}

declare module "*.svg" {
  const url: string
  export default url
}

/** Messages of a catalog, which the build compiles. */
declare module "*.po" {
  import type { Messages } from "@lingui/core"
  export const messages: Messages
}
