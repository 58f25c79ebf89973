// Plugins of Vite for translated texts: the pages use both, tests of code in src/web need the macros only.
import { transformAsync } from "@babel/core"
import { lingui } from "@lingui/vite-plugin"

/** Replaces the macros of Lingui, which only Babel or SWC can run. English stays in the code: it needs no catalog. */
export const macros = {
  name: "translation-macros",
  enforce: "pre",
  transform: {
    filter: { id: /\.tsx?$/, code: "@lingui/core/macro" },
    handler: (code, filename) =>
      transformAsync(code, {
        filename,
        babelrc: false,
        configFile: false,
        sourceMaps: true,
        parserOpts: { plugins: ["typescript"] },
        plugins: [["@lingui/babel-plugin-lingui-macro", { stripMessageField: false }]]
      })
  }
}

/** Macros and catalogs. A catalog that lacks a message fails the build. */
export const translation = () => [macros, ...lingui({ failOnMissing: true, failOnCompileError: true })]
