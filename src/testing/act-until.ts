/**
 * Repeats an action until a wait for it is over, and resolves with its result: nobody can see from outside when a wait has begun, and
 * what happened before does not end it. `count` is how often the action was done before.
 */
export async function actUntil<Result>(
  wait: Promise<Result>,
  act: (count: number) => Promise<unknown>,
): Promise<Result> {
  let isOver = false
  const end = (): void => {
    isOver = true
  }
  wait.then(end, end)
  for (let count = 0; !isOver; count += 1) {
    await act(count)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return wait
}
