import { pathToFileURL } from 'node:url'

/** What is written to standard error when a module that is refused is asked for. */
export const BLOCKED = 'this module is refused'

/** Node's options for a process in which the package cannot be loaded. */
export function blockPackage(name: string): string {
  return importing(
    `if (specifier === '${name}' || specifier.startsWith('${name}/')) throw new Error('${BLOCKED}')`,
  )
}

/** Node's options for a process in which every module gets the package `name` that the folder has. */
export function replacePackage(name: string, folder: string): string {
  const parentURL = JSON.stringify(pathToFileURL(`${folder}/`).href)
  return importing(
    `if (specifier === '${name}' || specifier.startsWith('${name}/')) {
       return next(specifier, { ...context, parentURL: ${parentURL} })
     }`,
  )
}

/** `body` sees `specifier`, `context` and `next` of a resolve hook. */
function importing(body: string): string {
  const hooks = `export async function resolve(specifier, context, next) {
    ${body}
    return next(specifier, context)
  }`
  const start = `import { register } from 'node:module'; register(${JSON.stringify(asModule(hooks))})`

  // What takes its place, `registerHooks`, is not there in Node 20.
  return `--disable-warning=DEP0205 --import=${asModule(start)}`
}

function asModule(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`
}
