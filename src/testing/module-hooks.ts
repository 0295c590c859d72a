/** What is written to standard error when a module that is refused is asked for. */
export const REFUSED = 'this module is refused'

/** Node's options for a process in which the package cannot be loaded. */
export function refusing(name: string): string {
  return importing(
    `if (specifier === '${name}' || specifier.startsWith('${name}/')) throw new Error('${REFUSED}')`,
  )
}

/** Node's options for a process in which `other` is loaded when `name` is asked for, except by itself. */
export function replacing(name: string, other: string): string {
  return importing(
    `if (context.parentURL?.includes('node_modules/${other}/')) return next(specifier, context)
     specifier = specifier.replace(/^${name}(?=\\/|$)/, '${other}')`,
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
