/** Runs of a slow property: usual ones, or those of `npm run soak -- properties`. */
export const propertyRuns = (usual: number, inSoak: number) =>
  process.env["PROPERTY_RUNS"] === "soak" ? inSoak : usual
