// Plugins of Vite for translated texts: the pages use `translation`, tests of code in src/web only `macros`.
import { transformAsync } from "@babel/core"
import { getConfig } from "@lingui/conf"
import { compileMessage } from "@lingui/message-utils/compileMessage"
import { lingui } from "@lingui/vite-plugin"
import { fileURLToPath } from "node:url"

// Builds and tests may run in another folder.
const configPath = fileURLToPath(new URL("../lingui.config.ts", import.meta.url))
const linguiConfig = getConfig({ configPath })

/** Replaces the macros of Lingui, which only Babel or SWC can run. English stays in the code: it needs no catalog. */
const macrosWith = (...plugins) => ({
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
        plugins: [["@lingui/babel-plugin-lingui-macro", { linguiConfig, stripMessageField: false }], ...plugins]
      })
  }
})

export const macros = macrosWith()

/**
 * Compiles English messages, as Lingui compiles those of catalogs only. Otherwise each page would load its parser, which
 * has 7 KiB. Without it, a message with a plural would be shown as written, which test/web/Translation.test.ts finds.
 */
const compileMessages = ({ types }) => ({
  visitor: {
    Program: {
      exit: (program) =>
        program.traverse({
          ObjectProperty: ({ node }) => {
            if (node.key.name === "message" && node.value.type === "StringLiteral")
              node.value = types.valueToNode(compileMessage(node.value.value))
          }
        })
    }
  }
})

/** Macros and catalogs of a production build. A catalog that lacks a message fails the build. */
export const translation = () => [
  macrosWith(compileMessages),
  ...lingui({ configPath, failOnMissing: true, failOnCompileError: true })
]
