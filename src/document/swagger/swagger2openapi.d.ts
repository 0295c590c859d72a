declare module 'swagger2openapi' {
  const converter: {
    convertObj(
      swagger: unknown,
      options: { readonly patch: boolean; readonly warnOnly: boolean; readonly text: string },
    ): Promise<{ readonly openapi: unknown }>
  }
  // biome-ignore lint/style/noDefaultExport: A CommonJS package is the default export of its module.
  export default converter
}
