/** The values of the parameters of a path by the concrete path. */
export function parametersIn(path: string, concrete: string): Readonly<Record<string, string>> {
  const values = concrete.split('/')
  const names = path.split('/').slice(1)
  const pairs = names.map((name, at) => [/^\{(.+)\}$/.exec(name)?.[1], values[at] ?? ''] as const)
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (name ? [[name, decodeURIComponent(value)]] : [])),
  )
}
