/** Whether a number is a multiple of a step. Decimal steps such as 0.01 have no exact binary fraction. */
export function isMultiple(value: number, step: number): boolean {
  const quotient = value / step
  if (Number.isInteger(quotient)) return true
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 && Math.abs(quotient) < 1e15
}

/** The number of digits after the decimal point. */
export function decimalsOf(value: number): number {
  const [, decimals = '', exponent = '0'] =
    /^-?\d*\.?(\d*)(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  return Math.max(0, decimals.length - Number(exponent))
}

/** The least common multiple of two steps, which may be decimal; `undefined` when it is too large. */
export function commonMultiple(one: number, other: number): number | undefined {
  const scale = 10 ** Math.max(decimalsOf(one), decimalsOf(other))
  const [a, b] = [Math.round(one * scale), Math.round(other * scale)]
  const multiple = (a / greatestDivisor(a, b)) * b

  return Number.isSafeInteger(multiple) && multiple > 0 ? multiple / scale : undefined
}

function greatestDivisor(one: number, other: number): number {
  let [a, b] = [one, other]
  while (b > 0) [a, b] = [b, a % b]
  return a
}
