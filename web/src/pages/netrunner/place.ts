// Places a floating element next to another, within the window.
export function place(from: DOMRect, size: { width: number; height: number }): { left: number; top: number } {
  const gap = 10;
  const clamp = (value: number, most: number) => Math.max(gap, Math.min(value, most));
  const right = from.right + gap;
  const left = right + size.width <= innerWidth ? right : from.left - gap - size.width;
  return {
    left: clamp(left, innerWidth - size.width - gap),
    top: clamp(from.top + from.height / 2 - size.height / 2, innerHeight - size.height - gap),
  };
}
