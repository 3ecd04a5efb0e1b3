/** The files of a worker share the document. */
let isReplaced = false;

/**
 * jsdom compares an element with every rule of every style sheet each time that its style is asked for, and to find an element
 * by its role asks for those of all. The styles of a document that has not changed are the same.
 */
export function computeStylesOnce(): void {
  if (isReplaced) return;
  isReplaced = true;
  const compute = window.getComputedStyle.bind(window);
  let known = new WeakMap<Element, CSSStyleDeclaration>();
  const forget = () => {
    known = new WeakMap();
  };
  const changes = new MutationObserver(forget);
  changes.observe(document, {
    attributes: true,
    characterData: true,
    childList: true,
    subtree: true,
  });
  for (const change of ['focusin', 'focusout', 'input', 'change']) {
    document.addEventListener(change, forget, { capture: true });
  }
  window.getComputedStyle = (element, pseudo) => {
    if (pseudo) return compute(element, pseudo);
    if (changes.takeRecords().length > 0) forget();
    const style = known.get(element) ?? compute(element);
    known.set(element, style);
    return style;
  };
}
