// Puts what a page measures into its title: what it has of the window, and what reaches beyond it.
addEventListener("load", () => {
  const wide = [...document.querySelectorAll("body *")].filter(
    e => e.getBoundingClientRect().right > innerWidth + 1);
  document.title = [
    innerWidth, document.documentElement.scrollWidth, document.body.innerText.length,
    wide.slice(0, 3).map(e => e.outerHTML.slice(0, 80)).join(" ")].join("|");
});
