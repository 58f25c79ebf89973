/** What a stylesheet's classes are called in the built page. */
declare module "*.module.css" {
  const classes: Readonly<Record<string, string>>
  // Vite gives the classes as the default export of the stylesheet.
  export default classes
}

declare module "*.css" {}
