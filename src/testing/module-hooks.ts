import { pathToFileURL } from 'node:url'

/** The error message of an import of a blocked package. */
export const BLOCKED = 'this package is blocked'

/** The `NODE_OPTIONS` of a process that cannot import the package. */
export function blockPackage(name: string): string {
  return withResolveHook(
    `if (specifier === '${name}' || specifier.startsWith('${name}/')) throw new Error('${BLOCKED}')`,
  )
}

/** The `NODE_OPTIONS` of a process in which the package is not installed. */
export function hidePackage(name: string): string {
  return withResolveHook(
    `if (specifier === '${name}') throw Object.assign(new Error(), { code: 'ERR_MODULE_NOT_FOUND' })`,
  )
}

/** The `NODE_OPTIONS` of a process in which every import of the package resolves from `folder`. */
export function replacePackage(name: string, folder: string): string {
  const parentURL = JSON.stringify(pathToFileURL(`${folder}/`).href)
  return withResolveHook(
    `if (specifier === '${name}' || specifier.startsWith('${name}/')) {
       return next(specifier, { ...context, parentURL: ${parentURL} })
     }`,
  )
}

/** Registers a resolve hook with this body, whose parameters are `specifier`, `context` and `next`. */
function withResolveHook(body: string): string {
  const hooks = `export async function resolve(specifier, context, next) {
    ${body}
    return next(specifier, context)
  }`
  const start = `import { register } from 'node:module'; register(${JSON.stringify(toDataUrl(hooks))})`

  // DEP0205 recommends `registerHooks`, which Node 20 does not have.
  return `--disable-warning=DEP0205 --import=${toDataUrl(start)}`
}

function toDataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`
}
