import { SchemaAST } from "effect"

export type Path = ReadonlyArray<string | number>

/** Returns the paths of the text fields of a schema's encoded side. Takes one item of a list or record. */
const pathsIn = (ast: SchemaAST.AST, path: Path): ReadonlyArray<Path> => {
  if (SchemaAST.isString(ast) || SchemaAST.isTemplateLiteral(ast)) return [path]
  if (SchemaAST.isSuspend(ast)) return []
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((member) => pathsIn(member, path))
  if (SchemaAST.isArrays(ast)) {
    const [item] = [...ast.elements, ...ast.rest]
    return item === undefined ? [] : pathsIn(item, [...path, 0])
  }
  if (!SchemaAST.isObjects(ast)) return []
  return [
    ...ast.propertySignatures.flatMap(({ name, type }) => pathsIn(type, [...path, String(name)])),
    ...ast.indexSignatures.flatMap(({ type }) => pathsIn(type, [...path, "key"]))
  ]
}

export const textFieldsOf = (schema: { readonly ast: SchemaAST.AST }): ReadonlyArray<Path> => {
  const unique = new Map(pathsIn(SchemaAST.toEncoded(schema.ast), []).map((path) => [path.join("."), path] as const))
  return [...unique.values()]
}

/** Returns a copy of the value with `inserted` at the path. Creates missing objects and lists on the way. */
export const withValueAt = (value: unknown, [key, ...rest]: Path, inserted: unknown): unknown => {
  if (key === undefined) return inserted
  if (typeof key === "number") return [withValueAt(Array.isArray(value) ? value[0] : undefined, rest, inserted)]
  const object: Readonly<Record<string, unknown>> = typeof value === "object" && value !== null ? { ...value } : {}
  return { ...object, [key]: withValueAt(object[key], rest, inserted) }
}
