/** An object with another method. The others are its own. */
export function withMethod<Target extends object>(
  target: Target,
  method: keyof Target,
  replacement: unknown,
): Target {
  return new Proxy(target, {
    get: (_, name) => {
      if (name === method) return replacement
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
